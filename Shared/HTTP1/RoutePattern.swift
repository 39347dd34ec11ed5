/// A method and a path, which may have parameters: `GET /api/v1/devices/{id}`.
package struct RoutePattern: Sendable, Equatable, CustomStringConvertible {
  /// The route as `functions.json` writes it.
  package let description: String
  /// Such as `GET`.
  package let method: String
  /// The parts of the path between its slashes.
  package let segments: [Segment]

  /// A part of a path.
  package enum Segment: Sendable, Equatable {
    /// The same text.
    case literal(String)
    /// Any text that is not empty.
    case parameter(String)
  }

  /// The methods that routes may have.
  package static let methods = ["DELETE", "GET", "PATCH", "POST", "PUT"]
  /// The beginning of the gateway's own paths.
  package static let reserved: Set<Substring> = ["_", "functions", "metrics"]

  /// Reads a route; `nil` for a text that is none.
  package init?(_ text: String) {
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 2, Self.methods.contains(String(words[0])), words[1].first == "/", words[1].last != "/"
    else { return nil }
    let parts = Self.split(words[1])
    guard let first = parts.first, !Self.reserved.contains(first) else { return nil }
    (description, method) = (text, String(words[0]))
    var segments: [Segment] = []
    for part in parts {
      guard let segment = Segment(part) else { return nil }
      segments.append(segment)
    }
    self.segments = segments
  }

  /// The path, with its parameters as they are written.
  package var path: String { String(description.drop { $0 != "/" }) }

  /// The names of its parameters.
  package var names: [String] {
    segments.compactMap { if case .parameter(let name) = $0 { name } else { nil } }
  }

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

  /// The segments of a path that begins with a slash; one more at its end makes no difference.
  package static func split(_ path: some StringProtocol) -> [Substring] {
    let segments = Substring(path).dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    return segments.count > 1 && segments.last == "" ? segments.dropLast() : segments
  }
}

/// The result of matching a request with routes.
package enum RouteFinding<Target> {
  /// The route that it is for, what is behind that, and the parameters in the path.
  case match(RoutePattern, Target, [(name: String, value: String)])
  /// There are routes with this path, by these other methods.
  case otherMethods([String])
  /// No route has this path.
  case nothing

  /// Asks some routes: a text in a route counts before a place for a parameter, whatever their methods.
  ///
  /// A route for `GET` takes `HEAD` too, whose answer is sent without its body (RFC 9110, 9.3.2).
  package init(
    _ method: String, _ path: [Substring], among routes: some Sequence<(pattern: RoutePattern, target: Target)>
  ) {
    // No key paths: in a generic type they are made at each use, which takes as long as the rest of the search.
    var closest: [(pattern: RoutePattern, target: Target, parameters: [(name: String, value: String)])] = []
    var fewest = Int.max
    for route in routes {
      guard let parameters = route.pattern.parameters(in: path), parameters.count <= fewest else { continue }
      if parameters.count < fewest { closest = [] }
      fewest = parameters.count
      closest.append((route.pattern, route.target, parameters))
    }
    let method = method == "HEAD" ? "GET" : method
    if let match = closest.first(where: { $0.pattern.method == method }) {
      self = .match(match.pattern, match.target, match.parameters)
    } else {
      let methods = closest.flatMap { $0.pattern.method == "GET" ? ["GET", "HEAD"] : [$0.pattern.method] }
      self = methods.isEmpty ? .nothing : .otherMethods(methods.sorted())
    }
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
}
