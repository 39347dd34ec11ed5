/// A path with places for parameters: `/api/v1/devices/{id}`.
public struct PathTemplate: Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The text.
  public let description: String
  private let segments: [Substring]

  /// A template from its text.
  public init(stringLiteral text: String) {
    description = text
    segments = Self.segments(of: text)
  }

  static func segments(of path: String) -> [Substring] {
    path.split(separator: "/", omittingEmptySubsequences: false)
  }

  /// The parameters of a path of this form by their names, `nil` for any other path.
  func parameters(in path: [Substring]) -> [String: String]? {
    guard path.count == segments.count else { return nil }
    var parameters: [String: String] = [:]
    for (segment, given) in zip(segments, path) {
      if segment.first == "{", segment.last == "}" {
        guard !given.isEmpty else { return nil }
        parameters[String(segment.dropFirst().dropLast())] = String(given)
      } else if segment != given {
        return nil
      }
    }
    return parameters
  }
}
