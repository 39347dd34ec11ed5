import CLI
import FunctionKit

/// The frame around every page.
package struct Frame: Sendable {
  package var places: [NavigationEntry]
  /// The bundle's name.
  package var bundle: String
  package var mode = ConsoleMode.on
  /// Whether somebody has signed in and can sign out.
  package var isSignedIn = false
  /// The token that a form has to show which changes something.
  package var token = ""
  /// The events' clock where it is not the real one.
  package var clock: String?
  /// The address that leads to the same; `nil` if none does.
  var view: Address?
  /// The folder of scripts and styles: its name changes when one of them does.
  package var assets = Assets.folder

  package init(places: [NavigationEntry], bundle: String) {
    (self.places, self.bundle) = (places, bundle)
  }

  /// The whole page.
  package func document(_ page: Page) -> HTML {
    .document(
      tag(.html, .lang("en")) {
        head(page)
        tag(
          .body, .data("live", page.live.map(\.rawValue).joined(separator: " ")),
          (page.now ?? clock.flatMap(RFC3339.date)).map { Attribute.data("now", RFC3339.string($0)) }
        ) {
          tag(.a, .class("skip"), .href(to: "main")) { "Skip to content" }
          banner(page)
          tag(.main, .id("main"), .tabindex(-1)) {
            tag(.h1) { page.title }
            page.body
            if let view, page.status == 200 { ShareLine(address: view, data: page.data).html }
          }
          footer
          tag(.p, .id("news"), .class("unseen"), .role("status"), .aria("live", "polite"))
          keys
        }
      })
  }

  private func head(_ page: Page) -> HTML {
    tag(.head) {
      tag(.meta, .charset("utf-8"))
      tag(.meta, .name("viewport"), .content("width=device-width, initial-scale=1"))
      tag(.meta, .name("color-scheme"), .content("light dark"))
      tag(.title) { "\(page.title) · \(bundle)" }
      tag(.link, .rel("stylesheet"), .href(Address("assets", assets, "console.css")))
      tag(.link, .rel("icon"), .type("image/svg+xml"), .href(Address("assets", assets, "icon.svg")))
      tag(.script, .type("module"), .src(Address("assets", assets, "console.js")))
    }
  }

  private func banner(_ page: Page) -> HTML {
    tag(.header, .class("top")) {
      tag(.a, .class("brand"), .href(Address())) { bundle }
      tag(.nav, .aria("label", "Pages")) {
        tag(.ul) {
          for place in places {
            tag(.li) {
              tag(
                .a, .href(place.address), .data("key", String(place.key)),
                place.path == page.place ? .aria("current", "page") : nil
              ) { place.title }
            }
          }
        }
      }
      tag(.form, .class("find"), .get, .action(Address("find")), .role("search"), .aria("label", "Everything")) {
        tag(
          .input, .type("search"), .id("find"), .name("q"), .value(page.search), .aria("label", "Find everything"),
          .placeholder("name, word"), .title("A name, a word, an id, or a filter such as state:dead"),
          .autocomplete("off"), .noSpelling)
      }
      tag(.div, .id("finder"), .hidden)
      tag(.div, .class("state")) {
        if let clock { reading(of: clock) }
        if mode == .readOnly { tag(.span, .class("badge")) { "read-only" } }
        tag(.span, .id("link"), .class("badge"), .hidden)
        if isSignedIn {
          tag(.form, .post, .action(Address("sign-out"))) {
            tokenField
            tag(.button, .class("quiet")) { "Sign out" }
          }
        }
      }
    }
  }

  /// The events' clock, with the way to what comes due.
  private func reading(of clock: String) -> HTML {
    let isLink = places.contains { $0.path == "clock" }
    return tag(isLink ? .a : .span, .class("badge notice"), isLink ? .href(Address("clock")) : nil) {
      "clock "
      if let date = RFC3339.date(clock) { time(date, now: date) } else { HTML(clock) }
    }
  }

  private var footer: HTML {
    tag(.footer) {
      "runner \(bundleVersion) · "
      tag(.kbd) { "?" }
      " shows the keys "
      tag(.button, .type("button"), .class("quiet"), .id("zone"), .hidden)
    }
  }

  private var keys: HTML {
    tag(.dialog, .id("keys"), .aria("labelledby", "keys-title")) {
      tag(.h2, .id("keys-title")) { "Keys" }
      tag(.dl, .class("facts")) {
        for place in places { key("g \(place.key)", place.title) }
        key("j k", "next and previous entry")
        key("Enter", "open the entry")
        key("/", "search: the page's own field, or everything")
        key("r", "read again")
        key("p", "stop and start live updates")
        key("?", "these keys")
      }
      tag(.button, .type("button"), .data("does", "close")) { "Close" }
    }
  }

  private func key(_ keys: String, _ what: String) -> HTML {
    tag(.div) {
      tag(.dt) { for key in keys.split(separator: " ") { tag(.kbd) { String(key) } } }
      tag(.dd) { what }
    }
  }

  private var tokenField: HTML { tag(.input, .type("hidden"), .name("token"), .value(token)) }
}
