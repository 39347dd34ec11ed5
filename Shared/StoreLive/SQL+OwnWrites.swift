package import Postgres

extension [SQL] {
  /// The same statements, to be run in one transaction, whose changes are nobody's act.
  ///
  /// Triggers with `"ownWrites": false` make no events of them. The first and the last answer are those of the setting.
  package var asOwnWrites: [SQL] {
    isEmpty ? [] : [Self.setting(to: "on")] + self + [Self.setting(to: "off")]
  }

  private static func setting(to value: String) -> SQL { "SELECT set_config('app.own_write', \(value), true)" }
}
