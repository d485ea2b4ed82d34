"""Ruby: a thread that serves requests waits for the lock of the virtual machine while another sorts."""
from case import Case


class Fault(Case):
    title = "a thread waits for Ruby's lock, which another holds while it sorts"
    runtime = "Ruby"
    packages = ("ruby",)
    programs = ("ruby",)
    culprit = ("reporter", "rb_ary_sort_bang", "rb_ary_sort", "ruby_qsort", "sort_2", "qsort_r")

    def command(self, slow):
        return ["ruby", self.source / "requests.rb", "1" if slow else "0"]
