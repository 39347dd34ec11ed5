/// The form that asks for the key, in place of any page.
struct SignInPage {
  /// The page that was asked for.
  var next: String
  /// The fault of the last try.
  var problem: String?

  var html: HTML {
    .document(
      tag(.html, .lang("en")) {
        tag(.head) {
          tag(.meta, .charset("utf-8"))
          tag(.meta, .name("viewport"), .content("width=device-width, initial-scale=1"))
          tag(.title) { "Sign in" }
          tag(.link, .rel("stylesheet"), .href(Address("assets", Assets.folder, "console.css")))
          tag(.link, .rel("icon"), .type("image/svg+xml"), .href(Address("assets", Assets.folder, "icon.svg")))
        }
        tag(.body) {
          tag(.main, .id("main")) {
            tag(.h1) { "Sign in" }
            if let problem { tag(.p, .class("callout bad"), .role("alert")) { problem } }
            tag(.form, .class("act"), .post, .action(Address("sign-in"))) {
              tag(.input, .type("hidden"), .name("next"), .value(next))
              tag(.label) {
                "The runner's key"
                tag(
                  .input, .type("password"), .name("key"), .autocomplete("current-password"), .required)
              }
              tag(.button, .class("main")) { "Sign in" }
            }
            tag(.p, .class("faint")) {
              "It is the value of "
              tag(.code) { "RUNNER_KEY" }
              ", with which the runner was started."
            }
          }
        }
      })
  }
}
