from tf1_support import readers


def count(path):
    total = 0
    for _ in readers.tf_record_iterator(path):
        total += 1
    return total
