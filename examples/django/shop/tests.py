"""The models fit the tables that the migrations make in a new database."""

from django.test import TestCase

from shop.models import Customer, Order


class Keys(TestCase):
    def test_keys_are_written_and_read(self):
        customer = Customer.objects.create(name="Ada")
        Order.objects.create(customer=customer, cents=100)
        found = Order.objects.select_related("customer").get(customer_id=str(customer.id))
        self.assertEqual(found.customer, customer)
        self.assertEqual(list(Customer.objects.get(pk=customer.pk).order_set.all()), [found])
