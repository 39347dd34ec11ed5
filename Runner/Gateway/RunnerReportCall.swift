import FunctionKit
import HTTPClient
package import Metrics

extension RunnerReport {
  /// Asks a gateway; `nil` if it does not answer within a few seconds.
  ///
  /// - Parameter key: the gateway's key, if it has one.
  package static func ask(_ url: String, key: String? = nil) async -> RunnerReport? {
    let client = HTTPClient(limits: HTTPLimits(connect: .seconds(1), total: .seconds(5)))
    let headers = key.map { [(name: "Authorization", value: "Bearer \($0)")] } ?? []
    guard let answer = try? await client.send(HTTPCall(.get, "\(url)/_/state", headers: headers)), answer.status == 200,
      let document = try? RawJSON(validating: answer.body[...])
    else { return nil }
    return try? JSONCoding.decode(RunnerReport.self, from: document)
  }
}
