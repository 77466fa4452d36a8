.PHONY: book test
