/// A tick of a schedule, or any object that somebody sends: what counts is the time of the invocation.
public struct Tick: Decodable, Sendable {
  private enum CodingKeys: CodingKey {}

  /// Reads an object, whatever it holds.
  public init(from decoder: any Decoder) throws {
    _ = try decoder.container(keyedBy: CodingKeys.self)
  }
}
