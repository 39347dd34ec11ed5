package import Console
package import Manifest

/// The parts of the console that are a bundle's own.
package enum PanelPages {
  /// In the order of `functions.json`.
  package static func of(_ manifest: Manifest) -> [any PageSource] {
    let links = PanelLinks(manifest.panels)
    return manifest.panels.map { panel in
      switch panel.kind {
      case .people: PeoplePages(panel: panel, links: links)
      case .explain: ExplainPages(panel: panel, links: links)
      case .phones: PhonesPages(panel: panel, links: links)
      }
    }
  }
}
