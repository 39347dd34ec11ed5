import FoundationEssentials

/// A switch that a person has for one app: it turns kinds of notifications on and off.
///
/// The same switches override it for a project or a group, as far as those have them.
public struct PersonalSwitch: Sendable, Equatable {
  /// The column it is stored in, or the name of its kind in `notification_settings.switches`.
  public let key: String
  /// The app's kinds that it turns on and off; never empty.
  public let kinds: [Kind]

  /// Its name in the API: the key in camel case.
  public var name: String {
    let words = key.split(separator: "_")
    return words.prefix(1).joined() + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }

  /// How it stands for a person who never touched it; `nil` where it then follows another switch.
  public var standard: Bool? { preference.shared == nil ? kinds[0].isOnByDefault : nil }
  /// Whether it can be turned off at all.
  public var canBeSilenced: Bool { kinds[0].canBeSilenced }

  /// Every switch of an app, in the order of its kinds; each kind has one.
  public static func all(of app: App) -> [PersonalSwitch] {
    let kinds = Kind.catalogue.filter { $0.app == app }
    let keys = kinds.map(\.switchKey).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
    return keys.map { key in PersonalSwitch(key: key, kinds: kinds.filter { $0.switchKey == key }) }
  }

  /// Whether it lets its kinds through; the gates themselves decide that.
  /// - Parameters:
  ///   - isEnabled: the person's master switch.
  ///   - level: what they let through from the project or group.
  ///   - overrides: their switches in the project or group, by their keys.
  ///   - personal: their personal switches, by their keys.
  public func isOn(
    isEnabled: Bool, level: Candidate.Level = .all, overrides: [String: Bool] = [:], personal: [String: Bool]
  ) -> Bool {
    var candidate = Candidate(user: .none, subjectID: "", reason: .member)
    (candidate.isEnabled, candidate.level) = (isEnabled, level)
    candidate.override = overrides[key] ?? preference.sharedInGroups.flatMap { overrides[$0.rawValue] }
    candidate.personal = personal[key] ?? preference.shared.flatMap { personal[$0.rawValue] }
    return kinds.allSatisfy { kind in
      Gate.switches.allSatisfy { $0.verdict(on: candidate, of: kind, at: .distantPast) == nil }
    }
  }

  private var preference: Kind.PreferenceSwitch { kinds[0].preference }
}

extension Kind {
  fileprivate var switchKey: String { preference == .own ? name : preference.rawValue }
}

extension UUID {
  /// Nobody's.
  fileprivate static let none = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
}
