import Testing

@testable import Manifest
@testable import Metrics

struct MetricFamilyTests {
  @Test func labelValuesAndHelpAreEscaped() {
    let family = MetricFamily(
      name: "a", kind: .gauge, help: "x\\y\n\"z\"",
      samples: [.init(labels: [("l", "q\"b\\n\nü")], value: "1")])

    #expect(family.text == "# HELP a x\\\\y\\n\"z\"\n# TYPE a gauge\na{l=\"q\\\"b\\\\n\\nü\"} 1\n")
  }

  @Test func bucketsAddUp() {
    var histogram = Histogram(Histogram.durations)
    for milliseconds in [0.1, 0.5, 40, 1_000_000] { histogram.add(milliseconds / 1_000) }
    let samples = histogram.samples([("function", "f")])

    func value(_ bound: String) -> String? { samples.first { $0.labels.last?.value == bound }?.value }
    #expect(value("0.0005") == "2")
    #expect(value("0.025") == "2")
    #expect(value("0.05") == "3")
    #expect(value("300.0") == "3")
    #expect(value("+Inf") == "4")
    #expect(samples.last?.value == "4")
  }

  @Test(arguments: [("a", true), ("_a9", true), ("9a", false), ("a-b", false), ("", false), ("ä", false)])
  func aNameHasLettersDigitsAndUnderscores(_ text: String, _ isName: Bool) {
    #expect(MetricsView.isMetricName(text) == isName)
  }
}
