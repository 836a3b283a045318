"""A shop in SQLite, or in MariaDB with SHOP_MARIADB=1 and PyMySQL."""

import os

SECRET_KEY = "only for this example"
INSTALLED_APPS = ["shop"]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
USE_TZ = True
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "shop.db"}}

if os.environ.get("SHOP_MARIADB"):
    import pymysql

    # Django asks for the version of mysqlclient.
    pymysql.version_info = (2, 2, 7, "final", 0)
    pymysql.install_as_MySQLdb()
    DATABASES["default"] = {
        "ENGINE": "django.db.backends.mysql",
        "NAME": "shop",
        "USER": "root",
        "HOST": "127.0.0.1",
    }
