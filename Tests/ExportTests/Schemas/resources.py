"""Checks documents of Knative and KEDA by typed models of their resources, which refuse unknown members."""

import importlib
import sys
import warnings

import yaml

warnings.simplefilter("ignore")
MODULES = {
    "serving.knative.dev/v1": "knative_serving.serving.v1",
    "sources.knative.dev/v1": "knative_eventing.sources.v1",
    "keda.sh/v1alpha1": "keda.v1alpha1",
}


def unknown(given, checked, path):
    """Members that the model does not have, and so leaves out."""
    if isinstance(given, dict) and isinstance(checked, dict):
        for name, value in given.items():
            if name not in checked:
                yield f"{path}.{name} is unknown"
            else:
                yield from unknown(value, checked[name], f"{path}.{name}")
    elif isinstance(given, list) and isinstance(checked, list):
        for index, (left, right) in enumerate(zip(given, checked)):
            yield from unknown(left, right, f"{path}[{index}]")


problems = []
for file in sys.argv[1:]:
    for document in yaml.safe_load_all(open(file)):
        kind, version = document["kind"], document["apiVersion"]
        if version not in MODULES:
            problems.append(f"{file}: {version} is unknown")
            continue
        module = importlib.import_module(f"cloudcoil.models.{MODULES[version]}")
        try:
            checked = getattr(module, kind).model_validate(document)
        except Exception as error:
            problems.append(f"{file}: {kind}: {error}")
            continue
        kept = checked.model_dump(by_alias=True, exclude_none=True, mode="json")
        problems += [f"{file}: {problem}" for problem in unknown(document, kept, kind)]
print("\n".join(problems))
sys.exit(bool(problems))
