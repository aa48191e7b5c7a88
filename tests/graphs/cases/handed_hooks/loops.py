def until_stopped(sess, step, count):
    values = []
    while not sess.should_stop() and len(values) < count:
        values.append(sess.run(step))
    return values
