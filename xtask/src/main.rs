//! Project chores that are not one `cargo` command: see `cargo xtask help`.

#[cfg(test)]
mod tidy;

fn main() {}
