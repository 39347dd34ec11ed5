package import Postgres

extension [SQL] {
  /// The same statements for one transaction, marked as our own writes.
  ///
  /// Triggers with `"ownWrites": false` make no events from them. The first and the last answer belong to the setting.
  package var asOwnWrites: [SQL] {
    isEmpty ? [] : [Self.setting(to: "on")] + self + [Self.setting(to: "off")]
  }

  private static func setting(to value: String) -> SQL { "SELECT set_config('app.own_write', \(value), true)" }
}
