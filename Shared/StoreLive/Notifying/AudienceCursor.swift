import FunctionKit
import Notifications
import Postgres

/// A large audience on its own connection and transaction: while one page is written, the next is read.
final class AudienceCursor: Sendable {
  private let demand: AsyncStream<Void>.Continuation
  private let pages: AsyncThrowingStream<[Candidate], any Error>

  /// Begins to read the first page.
  /// - Parameter size: a page with fewer candidates is the last.
  init(
    _ audience: SQL, by size: Int, on connection: Connection, _ decode: @escaping @Sendable (Rows) throws -> [Candidate]
  ) {
    let (demands, demand) = AsyncStream.makeStream(of: Void.self)
    let (pages, page) = AsyncThrowingStream.makeStream(of: [Candidate].self)
    (self.demand, self.pages) = (demand, pages)
    Task {
      do {
        try await connection.transaction(readOnly: true) { transaction in
          _ = try await transaction.pipeline([
            "SET LOCAL enable_seqscan = on", "DECLARE audience NO SCROLL CURSOR FOR \(audience)",
          ])
          for await _ in demands {
            page.yield(try decode(try await transaction.query("FETCH \(unescaped: "\(size)") FROM audience")))
          }
        }
        page.finish()
      } catch {
        page.finish(throwing: error)
      }
    }
    demand.yield()
  }

  deinit { demand.finish() }

  /// The next page.
  func next() async throws -> [Candidate] {
    var iterator = pages.makeAsyncIterator()
    guard let page = try await iterator.next() else {
      throw FunctionError(.unavailable, "The people were not read to the end.")
    }
    demand.yield()
    return page
  }
}
