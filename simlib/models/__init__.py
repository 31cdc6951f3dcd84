"""Made-up workloads: the published models of Feitelson '96 and Jann '97, and twins that stand in for logs."""
