import Manifest

/// The functions behind the routes of `functions.json`.
struct RouteTable: Sendable {
  /// By the number of segments.
  private var entries: [Int: [(pattern: RoutePattern, function: String)]] = [:]
  private var beginnings: Set<String> = []

  struct Match: Sendable {
    var function: String
    var pattern: RoutePattern
    var parameters: [(name: String, value: String)]
  }

  enum Finding {
    case match(Match)
    /// There are routes with this path, by other methods.
    case otherMethods([String])
    /// There is no such path, but other paths of functions begin like it.
    case nothingBeside
    case nothing

    var isNothing: Bool {
      switch self {
      case .nothing, .nothingBeside: true
      case .match, .otherMethods: false
      }
    }
  }

  init(_ functions: some Sequence<FunctionEntry>) {
    for entry in functions {
      for pattern in entry.http.routes {
        entries[pattern.segments.count, default: []].append((pattern, entry.name))
        if case .literal(let text) = pattern.segments.first { beginnings.insert(text) }
      }
    }
  }

  /// What is behind a path: a text in a route counts before a place for a parameter, whatever their methods.
  func find(_ method: String, _ path: String) -> Finding {
    let path = RoutePattern.split(path)
    // A place for a parameter is no place for what is the gateway's own.
    guard path.first.map(RoutePattern.reserved.contains) != true else { return .nothing }
    let matches = (entries[path.count] ?? []).compactMap { entry in
      entry.pattern.parameters(in: path).map {
        Match(function: entry.function, pattern: entry.pattern, parameters: $0)
      }
    }
    guard let fewest = matches.map(\.parameters.count).min() else {
      return path.first.map { beginnings.contains(String($0)) } == true ? .nothingBeside : .nothing
    }
    let closest = matches.filter { $0.parameters.count == fewest }
    return closest.first { $0.pattern.method == method }.map(Finding.match)
      ?? .otherMethods(closest.map(\.pattern.method).sorted())
  }
}
