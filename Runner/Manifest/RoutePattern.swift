/// A method on a path, which may have places for parameters: `GET /api/v1/devices/{id}`.
package struct RoutePattern: Sendable, Equatable, CustomStringConvertible {
  package let method: String
  package let segments: [Segment]

  package enum Segment: Sendable, Equatable {
    case literal(String)
    /// Any text that is not empty.
    case parameter(String)
  }

  package static let methods = ["DELETE", "GET", "PATCH", "POST", "PUT"]
  /// What begins the paths that are the gateway's own.
  package static let reserved: Set<Substring> = ["_", "functions", "metrics"]

  /// Reads a route; `nil` for a text that is none.
  package init?(_ text: String) {
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 2, Self.methods.contains(String(words[0])), words[1].first == "/" else { return nil }
    let parts = Self.split(words[1])
    guard let first = parts.first, !Self.reserved.contains(first) else { return nil }
    method = String(words[0])
    var segments: [Segment] = []
    for part in parts {
      guard let segment = Segment(part) else { return nil }
      segments.append(segment)
    }
    self.segments = segments
  }

  package var description: String { "\(method) /\(segments.map(\.text).joined(separator: "/"))" }

  /// The parameters in a path of this form, `nil` for any other path.
  package func parameters(in path: [Substring]) -> [(name: String, value: String)]? {
    guard path.count == segments.count else { return nil }
    var parameters: [(String, String)] = []
    for (segment, given) in zip(segments, path) {
      switch segment {
      case .literal(let text): guard text == given else { return nil }
      case .parameter(let name):
        guard !given.isEmpty else { return nil }
        parameters.append((name, String(given)))
      }
    }
    return parameters
  }

  /// Whether some request would be for both.
  package func overlaps(_ other: RoutePattern) -> Bool {
    method == other.method && segments.count == other.segments.count
      && zip(segments, other.segments).allSatisfy { pair in
        if case (.literal(let one), .literal(let two)) = pair { one == two } else { true }
      }
  }

  /// The segments of a path that begins with a slash.
  package static func split(_ path: some StringProtocol) -> [Substring] {
    Substring(path).dropFirst().split(separator: "/", omittingEmptySubsequences: false)
  }
}

extension RoutePattern.Segment {
  fileprivate init?(_ part: Substring) {
    if part.first == "{" {
      let name = part.dropFirst().dropLast()
      guard part.last == "}", !name.isEmpty, name.allSatisfy({ $0.isLetter || $0.isNumber }) else { return nil }
      self = .parameter(String(name))
    } else {
      guard !part.isEmpty, !part.contains(where: { "{}?#%".contains($0) }) else { return nil }
      self = .literal(String(part))
    }
  }

  fileprivate var text: String {
    switch self {
    case .literal(let text): text
    case .parameter(let name): "{\(name)}"
    }
  }
}
