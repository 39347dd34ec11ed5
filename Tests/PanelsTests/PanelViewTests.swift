import Console
import Foundation
import FunctionKit
import Testing

@testable import Panels

/// What the documents of a bundle's commands become.
struct PanelViewTests {
  private let links = PanelLinks([])
  private let forms = PhoneForms(place: Place("phones", "Phones", key: "h"), token: "t", user: nil, mayAct: true)

  private func json(_ text: String) throws -> RawJSON { try RawJSON(validating: Array(text.utf8)[...]) }

  @Test func thoseWhomOneGateStoppedStandTogether() throws {
    func decision(_ name: String, _ outcome: String, stoppedAt: Int?) -> String {
      let gates = (1...3).map { number in
        let verdict = stoppedAt.map { number < $0 ? "passed" : number == $0 ? "stopped" : "not_asked" } ?? "passed"
        return #"{"number":\#(number),"title":"gate \#(number)","verdict":"\#(verdict)","input":"fact \#(number)"}"#
      }
      return #"{"person":{"name":"\#(name)"},"outcome":"\#(outcome)","gates":[\#(gates.joined(separator: ","))]}"#
    }
    let people = [
      decision("Ada", "told", stoppedAt: nil), decision("Ben", "not_told", stoppedAt: 2),
      decision("Eva", "not_told", stoppedAt: 1), decision("Dan", "not_told", stoppedAt: 2),
    ]

    let html = GateMatrix(people: try people.map(json), total: 9, address: { _ in nil }).html.source

    let order = ["gate 1”", "Eva", "gate 2”", "Ben", "Dan", "through all gates", "Ada"]
    let places = order.compactMap { html.firstRange(of: $0)?.lowerBound }
    #expect(places.count == order.count && places == places.sorted())
    #expect(html.contains("4 of 9 people") && html.contains(#"class="gate stopped" title="fact 2""#))
    #expect(html.matches(of: /not asked/).count == 4)
  }

  @Test func nothingThatAPushNamesIsLoadedOrLed() throws {
    let note = #"""
      {"push":7,"title":"<img src=x>","image":"https://evil.example/a.png","link":"javascript:alert(1)","level":"active",
        "notification":"n1","buttons":[{"action":"REPLY_ACTION","title":"Reply","placeholder":"Type"}],"done":["opened"]}
      """#

    let html = PhoneView(
      phone: try json(
        #"{"id":"d1","person":{"name":"Ada"},"token":"a1a1a1a1","badge":2,"counted":3,"notes":[\#(note)]}"#),
      number: 0, forms: forms, links: links
    ).html.source

    #expect(html.contains("https://evil.example/a.png") && html.contains("javascript:alert(1)"))
    #expect(!html.contains("<img") && !html.contains(" src=\"") && !html.contains(#"href="javascript"#))
    #expect(html.contains("3 unread, the icon says 2"))
    #expect(html.contains(#"name="action" value="REPLY_ACTION""#) && html.contains(#"placeholder="Type" required"#))
  }

  @Test(arguments: ["{}", "[]", "null", "7", #"{"notes":{},"gates":"x","apps":[1],"decisions":[null],"people":[[]]}"#])
  func oddDocumentsStayPages(_ text: String) throws {
    let odd = try json(text)

    let pages = [
      PersonView(page: odd, span: "7d", shown: nil, place: forms.place, links: links).html.body,
      AppView(app: odd, now: .distantPast).html, QuietBandDrawing(band: odd, shownAt: nil, app: "x").html,
      HandlingView(handling: odd, number: 0, event: "e", isOfOne: false, place: forms.place, links: links).html,
      LadderView(decision: odd, number: 1, links: links).html,
      PhoneView(phone: odd, number: 0, forms: forms, links: links).html,
      FaultDesk(faults: [odd], phones: [odd], forms: forms).html,
    ]

    #expect(pages.dropFirst(3).allSatisfy { !$0.isEmpty } && !pages[0].isEmpty)
  }

  @Test func whatIsMutedIsNamed() throws {
    let app = #"""
      {"app":"lockitin","isEnabled":true,"badge":0,"mutes":[{"id":"1","name":"<b>Club","place":"group","level":"muted"},
        {"id":"2","name":"Band","place":"group","level":"important"},{"id":"3","name":"Choir","place":"group","level":"muted"}]}
      """#
    let html = AppView(app: try json(app), now: .distantPast).html.source

    let places = ["<dt>muted</dt>", "&lt;b&gt;Club", "Choir", "<dt>only important</dt>", "Band", "<dt>badge</dt>"]
      .compactMap { html.firstRange(of: $0)?.lowerBound }
    #expect(places.count == 6 && places == places.sorted(), "\(html)")
  }

  @Test func aReadOnlyConsoleHasNoButtons() throws {
    let looking = PhoneForms(place: forms.place, token: "t", user: nil, mayAct: false)

    let phone = PhoneView(
      phone: try json(#"{"notes":[{"push":1,"notification":"n","buttons":[{"action":"A","title":"B"}]}]}"#), number: 0,
      forms: looking, links: links
    ).html.source
    let desk = FaultDesk(faults: [try json(#"{"number":1}"#)], phones: [], forms: looking).html.source

    #expect(!phone.contains("<form") && !desk.contains("<form"))
  }
}
