//! Which addresses are taken, by the library and by the program, and the service as a program.

mod connecting;
mod http;
mod program;
