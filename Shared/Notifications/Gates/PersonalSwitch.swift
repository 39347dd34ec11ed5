import FoundationEssentials

/// A person's switch for kinds of one app.
///
/// A project or group that has the same switch can override it.
package struct PersonalSwitch: Sendable, Equatable {
  /// The column it is stored in, or the name of its kind in `notification_settings.switches`.
  package let key: String
  /// The kinds that it switches; never empty.
  package let kinds: [Kind]

  /// Its name in the API: the key in camel case.
  package var name: String { Self.name(of: key[...]) }

  /// The API's name for a stored key.
  package static func name(of key: Substring) -> String {
    let words = key.split(separator: "_")
    return words.prefix(1).joined() + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }

  /// The default for a person who never set it; `nil` if it then follows another switch.
  package var standard: Bool? { preference.shared == nil ? kinds[0].isOnByDefault : nil }
  /// Whether projects or groups have it too.
  package var isInGroups: Bool { preference.isInGroups }
  /// Whether it can be turned off at all.
  package var canBeSilenced: Bool { kinds[0].canBeSilenced }

  /// Every switch of an app, in the order of the kinds; each kind has one.
  package static func all(of app: App) -> [PersonalSwitch] { byApp[app] ?? [] }

  private static let byApp = Dictionary(
    uniqueKeysWithValues: App.allCases.map { app in
      let kinds = app.profile.kinds
      let keys = kinds.map(\.switchKey).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
      return (app, keys.map { key in PersonalSwitch(key: key, kinds: kinds.filter { $0.switchKey == key }) })
    })

  /// Whether it lets its kinds through; the gates decide that.
  /// - Parameters:
  ///   - isEnabled: the person's master switch.
  ///   - level: what they let through from the project or group.
  ///   - overrides: their switches in the project or group, by their keys.
  ///   - personal: their personal switches, by their keys.
  package func isOn(
    isEnabled: Bool, level: Candidate.Level = .all, overrides: [String: Bool] = [:], personal: [String: Bool]
  ) -> Bool {
    var candidate = Candidate(user: .none, subjectID: "", reason: .member)
    (candidate.isEnabled, candidate.level) = (isEnabled, level)
    candidate.override = overrides[key] ?? preference.sharedInGroups.flatMap { overrides[$0] }
    candidate.personal = personal[key] ?? preference.shared.flatMap { personal[$0] }
    return kinds.allSatisfy { kind in
      Gate.switches.allSatisfy { $0.verdict(on: candidate, of: kind, at: .distantPast) == nil }
    }
  }

  private var preference: Kind.PreferenceSwitch { kinds[0].preference }
}

extension Kind {
  /// The column of its switch, or its name in `notification_settings.switches`.
  package var switchKey: String { preference.column ?? name }
}

extension UUID {
  /// The id of no person.
  fileprivate static let none = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
}
