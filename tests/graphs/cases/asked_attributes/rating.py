def rated(sess, model, users, drop):
    found = []
    for start in range(0, len(users), 2):
        batch = users[start:start + 2]
        if drop:
            rates = sess.run(model.rates, {model.users: batch, model.kept: 0.5})
        else:
            rates = sess.run(model.rates, {model.users: batch})
        found.extend(rates)
    return found
