-- Compatible
-- Signals for functions that nobody runs now are not in the way of the others', nor are the places of those that were
-- taken.
CREATE INDEX signals_function ON runner.signals (function);
