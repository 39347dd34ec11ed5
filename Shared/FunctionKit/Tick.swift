/// A tick of a schedule, or any object that somebody sends: only the time of the invocation counts.
public struct Tick: Decodable, Sendable {
  private enum CodingKeys: CodingKey {}

  /// Reads an object, no matter what it holds.
  public init(from decoder: any Decoder) throws {
    _ = try decoder.container(keyedBy: CodingKeys.self)
  }
}
