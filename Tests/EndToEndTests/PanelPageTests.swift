import FunctionKit
import TestSupport
import Testing

/// Pages that a bundle of scripts names, and one that names none.
@Suite(.startsProcesses)
struct PanelPageTests {
  @Test func aScriptsDocumentBecomesAPage() async throws {
    let runner = try await RunningRunner(
      #"""
      {"functions":{},"commands":{"find":{"executable":"./find.sh"}},
        "panels":{"folk":{"command":"find","kind":"people","title":"Folk"}}}
      """#,
      scripts: [
        "find.sh": #"""
        case "$*" in
          --json) echo '{"found":[{"id":"1","name":"Ada & <b>"}]}' ;;
          ada*) echo '{"found":[{"id":"1"}],"page":{"person":{"id":"1","name":"Ada"},"decisions":[{"outcome":"not_told",
            "words":"not told: \"no\"","kind":"a_b","event":"e"}],"total":1,"apps":[{"app":"x","badge":12345678901234567890}]}}' ;;
          gone*) echo 'The list is <gone>.' >&2; exit 66 ;;
          *) echo nonsense ;;
        esac
        """#
      ])
    let served = try await runner.start()
    func page(_ path: String) async throws -> (status: Int, text: String) {
      let answer = try await served.request("/_/console/folk\(path)")
      return (answer.status, answer.text)
    }

    let (list, one, gone, odd) = (
      try await page(""), try await page("/ada"), try await page("/gone"), try await page("/x")
    )

    #expect(list.status == 200 && list.text.contains("Ada &amp; &lt;b&gt;") && list.text.contains(">Folk</a>"))
    #expect(
      one.status == 200 && one.text.contains("not told: &quot;no&quot;") && one.text.contains("a b"), "\(one.text)")
    #expect(gone.status == 404 && gone.text.contains("The list is &lt;gone&gt;."))
    #expect(odd.status == 500 && odd.text.contains("has not answered with JSON"))
    #expect(try await page("/--since").status == 400)
    #expect(try await page("?q=-x").status == 400)
  }

  @Test func aBundleWithoutPanelsHasNoneOfTheirPages() async throws {
    let runner = try await RunningRunner(#"{"functions":{}}"#)
    let served = try await runner.start()

    let page = try await served.request("/_/console/functions")
    let absent = try await served.request("/_/console/people")

    #expect(page.status == 200 && !page.text.contains("People"))
    #expect(absent.status == 404)
  }
}
