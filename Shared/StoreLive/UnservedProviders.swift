package import Postgres

extension SQL {
  /// The providers that nobody serves at the moment: `provider`, `reason` in words, and `since`.
  ///
  /// The view `push_outages` asks the same. A role may lack the right to read the notes: see ``mayReadProviders``.
  package static var unservedProviders: SQL {
    """
    SELECT provider, reason, since FROM push_providers
    WHERE reason IS NOT NULL AND (served_until > clock_timestamp()) IS NOT TRUE
    """
  }

  /// Whether this role may read the notes of providers, and whether they are there: `may`.
  package static var mayReadProviders: SQL {
    "SELECT coalesce(has_table_privilege(to_regclass('push_providers'), 'SELECT'), false) AS may"
  }
}
