extension App {
  package var profile: AppProfile {
    switch self {
    case .feedbackKit: .feedbackKit
    case .lockItIn: .lockItIn
    case .repairMinder: .repairMinder
    case .mugshot: .mugshot
    case .messageAI: .messageAI
    }
  }
}

extension Kind {
  /// Every kind of every app.
  package static let catalogue = App.allCases.flatMap(\.profile.kinds)

  /// The kind of an app by its name in any case; `nil` for an unknown name.
  package static func named(_ name: String, of app: App) -> Kind? {
    guard let kinds = byName[app] else { return nil }
    return kinds[name] ?? kinds[name.lowercased()]
  }

  // Looked up for each entry of an inbox.
  private static let byName = Dictionary(grouping: catalogue) { $0.app }.mapValues { kinds in
    Dictionary(kinds.map { ($0.name, $0) }) { first, _ in first }
  }
}

extension InboxCategory {
  /// The kinds that it shows.
  package var kinds: [Kind] { Kind.catalogue.filter { $0.section == self } }
}
