extension Kind {
  /// Every kind of every app.
  package static let catalogue = App.allCases.flatMap(\.profile.kinds)

  /// The kind of an app by its name in any case; `nil` for an unknown name.
  package static func named(_ name: String, of app: App) -> Kind? {
    let name = name.lowercased()
    return app.profile.kinds.first { $0.name == name }
  }
}

extension InboxCategory {
  /// The kinds that it shows.
  package var kinds: [Kind] { Kind.catalogue.filter { $0.section == self } }
}
