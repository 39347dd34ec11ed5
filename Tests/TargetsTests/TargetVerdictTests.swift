import FoundationEssentials
import Manifest
import Testing

@testable import Targets

struct TargetVerdictTests {
  /// The table of each engine for the statuses about which they could differ.
  private static let table: [(status: Int, http: TargetVerdict, openfaas: TargetVerdict, knative: TargetVerdict)] = [
    (200, .done, .done, .done), (202, .done, .done, .done), (204, .done, .done, .done), (299, .done, .done, .done),
    (301, .refused, .refused, .refused), (307, .refused, .refused, .refused),
    (400, .refused, .refused, .refused), (401, .refused, .refused, .refused), (403, .refused, .refused, .refused),
    (404, .refused, .refused, .again), (408, .again, .again, .again), (409, .refused, .refused, .again),
    (410, .refused, .refused, .refused), (413, .refused, .refused, .refused), (415, .refused, .refused, .refused),
    (422, .refused, .refused, .refused), (425, .again, .again, .refused), (429, .again, .again, .again),
    (500, .again, .again, .again), (501, .again, .again, .again), (503, .again, .again, .again),
    (599, .again, .again, .again),
  ]

  @Test(arguments: table)
  func aStatusMeansWhatItsEngineSays(
    status: Int, http: TargetVerdict, openfaas: TargetVerdict, knative: TargetVerdict
  ) {
    #expect(TargetEntry.Engine.http.verdict(status) == http)
    #expect(TargetEntry.Engine.openfaas.verdict(status) == openfaas)
    #expect(TargetEntry.Engine.knative.verdict(status) == knative)
  }

  @Test(arguments: [
    ("0", 0), ("7", 7), ("3600", 3_600), ("3601", 3_600), ("99999999999999999999", 3_600),
    ("Sun, 06 Nov 1994 08:49:37 GMT", 10), ("Sun, 06 Nov 1994 08:49:00 GMT", 0),
    ("Sun, 06 Nov 2094 08:49:37 GMT", 3_600),
  ])
  func aPauseIsReadInBothFormsAndLimited(_ value: String, _ seconds: Int) {
    #expect(RetryAfter.seconds(value, now: Date(timeIntervalSince1970: 784_111_767)) == seconds)
  }

  @Test(arguments: ["", "-1", "1.5", "soon", "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT"])
  func aPauseOfNeitherFormIsNone(_ value: String) {
    #expect(RetryAfter.seconds(value, now: .now) == nil)
  }
}
