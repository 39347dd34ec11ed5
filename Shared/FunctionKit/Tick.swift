/// A tick of a schedule, or any object from a caller: only the time of the invocation counts.
package struct Tick: Decodable, Sendable {
  private enum CodingKeys: CodingKey {}

  /// Reads any object.
  package init(from decoder: any Decoder) throws {
    _ = try decoder.container(keyedBy: CodingKeys.self)
  }
}
