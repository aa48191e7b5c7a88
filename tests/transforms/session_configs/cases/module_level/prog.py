import lib

if __name__ == '__main__':
    print(lib.predict([5.0]))
