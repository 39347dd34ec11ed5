public import FoundationEssentials
import FunctionKit
public import Notifications

/// What a link in a mail switches off: the pushes of one project, group or kind to one person.
public struct Unsubscription: Sendable, Equatable {
  /// Whose switch it is.
  public let person: Person
  /// What it switches.
  public let scope: Scope
  /// When the link was made, in seconds since 1970; a link never ends.
  public let issuedAt: Int

  /// What has a switch; FeedbackKit has projects, LockItIn has groups.
  public enum Scope: Sendable, Equatable {
    case project(UUID)
    case group(UUID)
    /// A kind that its person can silence.
    case kind(Kind)
  }

  /// The app it belongs to.
  public var app: App {
    switch scope {
    case .project: .feedbackKit
    case .group: .lockItIn
    case .kind(let kind): kind.app
    }
  }

  /// An unsubscription of a person; `nil` for a kind that nobody can silence.
  public init?(of person: Person, from scope: Scope, issuedAt: Date) {
    self.init(person, scope, Int(issuedAt.timeIntervalSince1970))
  }

  private init?(_ person: Person, _ scope: Scope, _ issuedAt: Int) {
    if case .kind(let kind) = scope, !kind.canBeSilenced { return nil }
    (self.person, self.scope, self.issuedAt) = (person, scope, issuedAt)
  }

  /// What a link carries, to be signed: `{"app","id","issuedAt","scope","user"}`.
  public var message: [UInt8] {
    get throws { Array(try JSONCoding.encode(Message(self)).bytes) }
  }

  /// What a signed message says; `nil` for a project, group or kind of another sort than its app has.
  public init?(message: [UInt8]) {
    guard let document = try? RawJSON(validating: message[...]),
      let message = try? JSONCoding.decode(Message.self, from: document), let scope = message.parsedScope
    else { return nil }
    self.init(Person(id: message.user), scope, message.issuedAt)
  }

  private struct Message: Codable {
    let user: UUID
    let app: String
    let scope: String
    let id: String
    let issuedAt: Int

    init(_ unsubscription: Unsubscription) {
      (user, app, issuedAt) = (unsubscription.person.id, unsubscription.app.rawValue, unsubscription.issuedAt)
      (scope, id) = (unsubscription.scope.name, unsubscription.scope.id)
    }

    var parsedScope: Scope? {
      switch (scope, App(rawValue: app)) {
      case ("project", .feedbackKit): UUID(uuidString: id).map(Scope.project)
      case ("group", .lockItIn): UUID(uuidString: id).map(Scope.group)
      case ("kind", let app?): Kind.named(id, of: app).map(Scope.kind)
      default: nil
      }
    }
  }
}

extension Unsubscription.Scope {
  /// `project`, `group` or `kind`.
  public var name: String {
    switch self {
    case .project: "project"
    case .group: "group"
    case .kind: "kind"
    }
  }

  /// The UUID in lower case, or the kind's name.
  public var id: String {
    switch self {
    case .project(let id), .group(let id): id.uuidString.lowercased()
    case .kind(let kind): kind.name
    }
  }
}
