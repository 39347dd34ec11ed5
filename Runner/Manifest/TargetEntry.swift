/// A function that runs elsewhere: the runner sends its events over HTTP instead of starting a process.
package struct TargetEntry: Sendable, Equatable {
  /// An absolute `http` or `https` URL.
  package var url: VariableText
  package var engine = Engine.http
  /// How an event is put into a request.
  package var format = Format.binary
  /// Further header fields of each request, in the file's order.
  package var headers: [Header] = []
  /// The environment variable with the secrets that sign each request as Standard Webhooks says.
  package var secret: String?
  /// The region of AWS for which each request is signed.
  package var region: String?
  /// The file with the certificates that vouch for the server instead of the system's, relative to `functions.json`.
  package var certificates: String?

  /// The most events that may be on their way to it at once.
  package static let mostInFlight = 1_000
  /// How many are, where `functions.json` does not say.
  static let usuallyInFlight = 16

  /// The variables with the keys of AWS, as its own tools name them.
  package enum AWS {
    package static let accessKey = "AWS_ACCESS_KEY_ID"
    package static let secretKey = "AWS_SECRET_ACCESS_KEY"
    package static let sessionToken = "AWS_SESSION_TOKEN"
  }

  /// The kind of server, which says what its answers mean.
  package enum Engine: String, Sendable, CaseIterable {
    case http, openfaas, knative
  }

  package enum Format: String, Sendable, CaseIterable {
    /// The data as the body, and everything else in `ce-` header fields.
    case binary
    /// The whole CloudEvent as the body.
    case structured
  }

  package struct Header: Sendable, Equatable {
    package var name: String
    package var value: VariableText
  }

  /// The environment variables without which no request can be made.
  var variables: [String] {
    let keys = region == nil ? [] : [AWS.accessKey, AWS.secretKey]
    var names: [String] = []
    for name in url.names + headers.flatMap(\.value.names) + [secret].compactMap(\.self) + keys
    where !names.contains(name) { names.append(name) }
    return names
  }
}

/// Text in which `${NAME}` stands for the value of an environment variable.
package struct VariableText: Sendable, Equatable {
  private enum Part: Sendable, Equatable {
    case text(String)
    case variable(String)
  }

  private var parts: [Part] = []

  /// `nil` if a `${` is not followed by a variable's name and `}`.
  package init?(_ text: String) {
    var rest = text[...]
    while let start = rest.firstRange(of: "${") {
      if start.lowerBound > rest.startIndex { parts.append(.text(String(rest[..<start.lowerBound]))) }
      guard let end = rest[start.upperBound...].firstIndex(of: "}") else { return nil }
      let name = rest[start.upperBound..<end]
      guard let first = name.utf8.first, !(0x30...0x39).contains(first), name.utf8.allSatisfy(\.isOfName) else {
        return nil
      }
      parts.append(.variable(String(name)))
      rest = rest[rest.index(after: end)...]
    }
    if !rest.isEmpty { parts.append(.text(String(rest))) }
  }

  /// The variables in it.
  package var names: [String] {
    parts.compactMap { if case .variable(let name) = $0 { name } else { nil } }
  }

  /// The text with the values; a variable without one is nothing.
  package func text(_ values: [String: String]) -> String {
    parts.map { part in
      switch part {
      case .text(let text): text
      case .variable(let name): values[name] ?? ""
      }
    }.joined()
  }
}

extension UInt8 {
  fileprivate var isOfName: Bool {
    (0x30...0x39).contains(self) || (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self) || self == 0x5F
  }
}
