import Formats
package import FoundationEssentials
import FunctionKit
package import Notifications
import Postgres
import StoreLive

/// The choice that a link in a mail switches off for one person: the pushes of one project, group or kind, or what an
/// app's functions tell of notifications that stay unread.
package struct Unsubscription: Sendable, Equatable {
  package let person: Person
  package let scope: Scope
  /// When the link was made, in seconds since 1970; a link never expires.
  package let issuedAt: Int
  /// The proposal of LockItIn's that the mail was about, which the link's page can mute, too.
  package let proposal: UUID?

  /// An object with a switch.
  package enum Scope: Sendable, Equatable {
    /// A project or group of an app that has them.
    case part(UUID, of: App)
    /// A kind that people can switch off.
    case kind(Kind)
    /// The words of an app's functions, such as one that sends e-mail, about notifications that stay unread.
    case unread(App)

    /// One of FeedbackKit's projects.
    package static func project(_ id: UUID) -> Scope { .part(id, of: .feedbackKit) }
    /// One of LockItIn's groups.
    package static func group(_ id: UUID) -> Scope { .part(id, of: .lockItIn) }
  }

  package var app: App { scope.app }

  /// The link's subject: the project or group, else the app.
  package var muteScope: MuteScope {
    if case .part(let id, let app) = scope { .part(id, of: app) } else { .app(app) }
  }

  /// The scopes that the link's page can mute, the least first: a proposal, a project or group, the app, everything.
  package var muteScopes: [MuteScope] {
    let part: [MuteScope] = if case .part = scope { [muteScope] } else { [] }
    return [proposal.map(MuteScope.proposal)].compactMap(\.self) + part + [.app(app), .person]
  }

  /// `nil` for a kind that nobody can switch off.
  /// - Parameter proposal: the proposal that a mail of LockItIn's is about; other apps have none.
  package init?(of person: Person, from scope: Scope, issuedAt: Date, about proposal: UUID? = nil) {
    self.init(person, scope, Int(issuedAt.timeIntervalSince1970), proposal)
  }

  private init?(_ person: Person, _ scope: Scope, _ issuedAt: Int, _ proposal: UUID?) {
    if case .kind(let kind) = scope, !kind.canBeSilenced { return nil }
    (self.person, self.scope, self.issuedAt) = (person, scope, issuedAt)
    self.proposal = scope.app == .lockItIn ? proposal : nil
  }

  /// The content of a link, to sign: `{"app","id","issuedAt","scope","user"}`, and `"proposal"` if it has one.
  package var message: [UInt8] {
    get throws { Array(try JSONCoding.encode(Message(self)).bytes) }
  }

  /// Reads a signed message; `nil` if its app does not have that scope.
  package init?(message: [UInt8]) {
    guard let document = try? RawJSON(validating: message[...]),
      let message = try? JSONCoding.decode(Message.self, from: document), let scope = message.parsedScope
    else { return nil }
    self.init(Person(id: message.user), scope, message.issuedAt, message.proposal)
  }

  private struct Message: Codable {
    let user: UUID
    let app: String
    let scope: String
    let id: String
    let issuedAt: Int
    /// Links made before there were proposals in links have none.
    let proposal: UUID?

    init(_ unsubscription: Unsubscription) {
      (user, app, issuedAt) = (unsubscription.person.id, unsubscription.app.rawValue, unsubscription.issuedAt)
      (scope, id, proposal) = (unsubscription.scope.name, unsubscription.scope.id, unsubscription.proposal)
    }

    var parsedScope: Scope? {
      guard let app = App(rawValue: app) else { return nil }
      if scope == "kind" { return Kind.named(id, of: app).map(Scope.kind) }
      if scope == "unread" { return .unread(app) }
      return app.profile.groups?.name == scope ? UUID(uuidString: id).map { .part($0, of: app) } : nil
    }
  }
}

extension Unsubscription.Scope {
  /// `project`, `group`, `kind` or `unread`.
  package var name: String {
    switch self {
    case .part(_, let app): app.profile.groups?.name ?? ""
    case .kind: "kind"
    case .unread: "unread"
    }
  }

  fileprivate var app: App {
    switch self {
    case .part(_, let app): app
    case .kind(let kind): kind.app
    case .unread(let app): app
    }
  }

  /// The UUID in lower case, or the kind's or app's name.
  package var id: String {
    switch self {
    case .part(let id, _): id.lowercased
    case .kind(let kind): kind.name
    case .unread(let app): app.rawValue
    }
  }
}

extension Unsubscription {
  /// `name, is_on`; no row if the person, project or group is gone.
  var state: SQL {
    switch scope {
    case .part(let id, let app):
      guard let groups = app.profile.groups else { return "SELECT WHERE false" }
      return """
        SELECT p.name, \(groups.levelWord) <> 'muted' AS is_on
        FROM users u JOIN \(identifier: groups.parents) p ON p.id = \(id)
        \(groups.join(user: "u.id", group: "p.id"))
        WHERE u.id = \(person.id)
        """
    case .kind(let kind):
      let settings = SettingsSQL(of: kind, for: "c", in: "NULL::uuid")
      return """
        SELECT NULL::text AS name, coalesce(\(settings.personal), \(kind.isOnByDefault)) AS is_on
        FROM (SELECT id AS user_id FROM users WHERE id = \(person.id)) AS c \(settings.tables)
        """
    case .unread(let app):
      return """
        SELECT NULL::text AS name, \(.wantsUnread(of: "u.id", app)) AS is_on
        FROM users u WHERE u.id = \(person.id)
        """
    }
  }

  /// Sets the switch and changes no other.
  func turned(on isOn: Bool, at now: Date) -> [SQL] {
    switch scope {
    case .part(let id, let app):
      guard let groups = app.profile.groups else { return [] }
      let source: SQL = """
        FROM users u JOIN \(identifier: groups.parents) p ON p.id = \(id) WHERE u.id = \(person.id) FOR KEY SHARE
        """
      return [groups.upsert([groups.level.turned(on: isOn)], of: "u.id", in: "p.id", at: now, source)]
        .compactMap { $0?.statement }
    case .kind(let kind):
      var changes = PersonalChanges()
      changes.switches = [kind.switchKey: isOn]
      return changes.statements(for: person, app: kind.app, at: now).map(\.statement)
    case .unread(let app): return [.turnUnread(on: isOn, for: person, app, at: now)]
    }
  }
}

extension GroupPreferences.Level {
  /// Mutes, or restores the level from before.
  fileprivate func turned(on isOn: Bool) -> Assignment {
    switch self {
    case .muted(let column): Assignment(column: column, value: "\(!isOn)")
    case .word(let column):
      Assignment(
        column: column, value: isOn ? "'all'" : "'muted'", update: isOn ? "coalesce(t.level_before_mute, 'all')" : nil)
    }
  }
}
