"""Reads a list of JUnit reports (JSON, standard input); prints for each what breaks the schemas in use, and its cases.

The rules are those that Ant's schema (windyroad/JUnit-Schema) and Jenkins' (junit-10.xsd) have together.
"""
import json, re, sys
import xml.etree.ElementTree as tree

DECIMAL = r"[0-9]+(\.[0-9]+)?"
SUITE = {"name": ".+", "package": ".+", "id": "0", "hostname": ".+", "tests": "[0-9]+", "failures": "[0-9]+",
         "errors": "[0-9]+", "skipped": "[0-9]+", "time": DECIMAL,
         "timestamp": "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}"}
CASE = {"name": ".*", "classname": ".*", "time": DECIMAL}
ENDING = {"failure": {"type": ".*", "message": ".*"}, "error": {"type": ".*", "message": ".*"}, "skipped": {"message": ".*"}}


def attributes(element, rules):
    if set(element.attrib) != set(rules):
        yield f"{element.tag} has {sorted(element.attrib)}"
    for name, rule in rules.items():
        if not re.fullmatch(rule, element.get(name, ""), re.DOTALL):
            yield f"{element.tag} {name}={element.get(name)!r}"


def problems(root):
    if root.tag != "testsuites" or root.attrib or [child.tag for child in root] != ["testsuite"]:
        yield "the root is not testsuites with one testsuite"
        return
    suite = root[0]
    yield from attributes(suite, SUITE)
    tags = " ".join(child.tag for child in suite)
    if not re.fullmatch("properties( testcase)* system-out system-err", tags):
        yield f"the suite holds {tags}"
    for item in suite.find("properties"):
        yield from attributes(item, {"name": ".+", "value": ".*"})
    cases = suite.findall("testcase")
    for case in cases:
        yield from attributes(case, CASE)
        if len(case) > 1:
            yield "a case has two endings"
        for ending in case:
            yield from attributes(ending, ENDING.get(ending.tag, {}))
    for count, tag in [("failures", "failure"), ("errors", "error"), ("skipped", "skipped")]:
        if int(suite.get(count)) != len(suite.findall(f"testcase/{tag}")):
            yield f"{count} is {suite.get(count)}"
    if int(suite.get("tests")) != len(cases):
        yield f"tests is {suite.get('tests')}"


def read(text):
    root = tree.fromstring(text.encode())
    cases = [{"name": case.get("name"), "classname": case.get("classname"), "time": case.get("time"),
              "endings": [{"tag": end.tag, **end.attrib, "text": end.text or ""} for end in case]}
             for case in root.iter("testcase")]
    return {"problems": list(problems(root)), "suite": root[0].attrib, "cases": cases}


json.dump([read(text) for text in json.load(sys.stdin)], sys.stdout)
