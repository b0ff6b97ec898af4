"""Reads a page (standard input); prints what it would load or run, what is not well-formed, and what it says."""
import json, sys
from html.parser import HTMLParser

VOID = {"meta", "br", "link", "img", "input", "hr"}
LOADING = {"script", "link", "img", "iframe", "object", "embed", "base", "form", "image", "use", "foreignobject"}


class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.problems, self.ids, self.targets, self.text, self.focusable = [], [], [], [], [], 0

    def handle_starttag(self, tag, attributes):
        if tag not in VOID:
            self.open.append(tag)
        self.look(tag, attributes)

    def handle_startendtag(self, tag, attributes):
        self.look(tag, attributes)

    def look(self, tag, attributes):
        if tag in LOADING:
            self.problems.append(f"<{tag}>")
        for name, value in attributes:
            if name.startswith("on") or name in ("src", "srcset"):
                self.problems.append(f"{name}={value}")
            if name == "id":
                self.ids.append(value)
            if name in ("href", "xlink:href"):
                self.targets.append(value)
        if tag == "a" or ("tabindex", "0") in attributes:
            self.focusable += 1

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.problems.append(f"</{tag}> without its beginning")

    def handle_data(self, text):
        if "style" in self.open:
            if "url(" in text or "@import" in text:
                self.problems.append("the style loads something")
        else:
            self.text.append(text)


page = Page()
page.feed(sys.stdin.buffer.read().decode())
page.problems += [f"<{tag}> is not ended" for tag in page.open]
page.problems += [f"two have the id {each}" for each in set(page.ids) if page.ids.count(each) > 1]
page.problems += [f"{each} leads nowhere" for each in page.targets if each[:1] != "#" or each[1:] not in page.ids]
json.dump({"problems": page.problems, "text": "".join(page.text), "links": page.targets, "focusable": page.focusable}, sys.stdout)
