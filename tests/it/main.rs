//! Which processes, threads and tasks make which ids, and the example `tour`.

#[cfg(unix)]
mod forks;
mod scopes;
mod tour;
