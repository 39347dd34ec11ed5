/// A form that changes something: it works without scripts, and shows the token that proves where it comes from.
package struct ActForm: Sendable {
  package var address: Address
  /// The text of the button.
  package var label: String
  /// Values that the form has whatever a person enters.
  package var values: [(name: String, value: String)] = []
  package var isDangerous = false
  /// For those who do not see what stands around the button.
  package var description: String?
  /// Keeps the focus on the button when the page is read again.
  package var id: String?
  /// A second button, which sends the same to another address.
  package var other: (label: String, address: Address)?

  package init(
    _ label: String, at address: Address, _ values: [(name: String, value: String)] = [], isDangerous: Bool = false,
    description: String? = nil, id: String? = nil
  ) {
    (self.label, self.address, self.values, self.isDangerous) = (label, address, values, isDangerous)
    (self.description, self.id) = (description, id)
  }

  /// - Parameters:
  ///   - token: of the request that the page answers.
  ///   - fields: what a person enters.
  package func html(token: String, @HTMLBuilder fields: () -> HTML = { HTML() }) -> HTML {
    tag(.form, .class("act"), .post, .action(address)) {
      tag(.input, .type("hidden"), .name("token"), .value(token))
      for (name, value) in values { tag(.input, .type("hidden"), .name(name), .value(value)) }
      fields()
      tag(
        .button, isDangerous ? .class("danger") : nil, description.map { .aria("label", $0) }, id.map { .id($0) }
      ) { label }
      if let other { tag(.button, .formaction(other.address)) { other.label } }
    }
  }
}
