//! Choices that have names in declarations, on the command line and in messages.

/// Declares an enum whose values have names, in the order of the documentation.
macro_rules! named {
    (
        $(#[$doc:meta])*
        $Choice:ident { $($(#[$value_doc:meta])* $Value:ident = $name:literal,)* }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $Choice {
            $(
                $(#[$value_doc])*
                #[doc = concat!("\n\nNamed `", $name, "`.")]
                $Value,
            )*
        }

        impl $Choice {
            /// All values, in the order of the documentation.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$Value),*];

            /// The name in declarations, on the command line and in messages.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$Value => $name,)*
                }
            }
        }

        impl core::fmt::Display for $Choice {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}

pub(crate) use named;
