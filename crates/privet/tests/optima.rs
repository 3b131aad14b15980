//! Known optima, reached through the library's front door.

mod ff_optima;
mod full_domain_optima;
mod l_plus_adult;
mod l_plus_optima;
mod population_brute;
mod population_optima;
