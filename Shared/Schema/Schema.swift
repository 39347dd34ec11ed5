/// The tables of the apps, as numbered migrations from the files in `Migrations`.
///
/// Each creates what is missing and alters nothing that is there, so that running it again changes nothing. Together
/// they need no superuser, and no extension.
public enum Schema {
  /// The apps whose rows the tables have, as the columns `app` name them.
  public static let apps = ["feedbackkit", "lockitin", "messageai", "mugshot", "repairminder"]

  /// Runs before all migrations: what they need of tables that an app has made in its own way.
  public static let preparation = Migration("0000_preparation", PackageResources._000_preparation_sql)

  /// Every migration in the order in which they are to run.
  public static let migrations: [Migration] = [
    Migration("0001_feedbackkit", PackageResources._001_feedbackkit_sql),
    Migration("0002_push", PackageResources._002_push_sql),
    Migration("0003_lockitin", PackageResources._003_lockitin_sql),
    Migration("0004_notifications", PackageResources._004_notifications_sql),
    Migration("0005_routines", PackageResources._005_routines_sql),
    Migration("0006_metrics", PackageResources._006_metrics_sql),
    Migration("0007_provider_tokens", PackageResources._007_provider_tokens_sql),
    Migration("0008_delivery_states", PackageResources._008_delivery_states_sql),
    Migration("0009_fcm", PackageResources._009_fcm_sql),
    Migration("0010_lockitin_events", PackageResources._010_lockitin_events_sql),
    Migration("0011_calm", PackageResources._011_calm_sql),
    Migration("0012_apps", PackageResources._012_apps_sql),
    Migration("0013_variants", PackageResources._013_variants_sql),
    Migration("0014_badges", PackageResources._014_badges_sql),
    Migration("0015_analyses", PackageResources._015_analyses_sql),
    Migration("0016_explained", PackageResources._016_explained_sql),
    Migration("0017_api_tokens", PackageResources._017_api_tokens_sql),
    Migration("0018_preferences", PackageResources._018_preferences_sql),
    Migration("0019_inbox", PackageResources._019_inbox_sql),
    Migration("0020_actions", PackageResources._020_actions_sql),
    Migration("0021_row_security", PackageResources._021_row_security_sql),
    Migration("0022_probes", PackageResources._022_probes_sql),
    Migration("0023_unsettled", PackageResources._023_unsettled_sql),
    Migration("0024_earlier_tables", PackageResources._024_earlier_tables_sql),
    Migration("0025_said_when_said", PackageResources._025_said_when_said_sql),
    Migration("0026_rates", PackageResources._026_rates_sql),
    Migration("0027_badge_losses", PackageResources._027_badge_losses_sql),
    Migration("0028_shared_tables", PackageResources._028_shared_tables_sql),
    Migration("0029_log_payloads", PackageResources._029_log_payloads_sql),
    Migration("0030_devices", PackageResources._030_devices_sql),
    Migration("0031_quiet_summary", PackageResources._031_quiet_summary_sql),
    Migration("0032_roles", PackageResources._032_roles_sql),
  ]
}

extension Schema {
  /// The tables in which functions write down what they do; the rows of the other tables are the apps'.
  public static let ownTables = [
    "analyses", "badge_losses", "decisions", "deliveries", "device_tokens", "handled_events", "held_notifications",
    "notification_actions", "notification_interactions", "notification_rechecks", "notification_state", "notifications",
    "proposal_leads", "push_notification_logs", "push_provider_tokens", "user_activity",
  ]
}

/// One step of the schema: many statements, to be run in one transaction.
public struct Migration: Sendable {
  /// The file's name without its ending; the leading number gives the order.
  public let name: String
  /// The statements.
  public let sql: String

  init(_ name: String, _ file: [UInt8]) {
    self.name = name
    sql = String(decoding: file, as: UTF8.self)
  }
}
