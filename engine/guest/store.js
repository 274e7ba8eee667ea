// `store`, which keeps JSON between the cells of a session. It is loaded before a cell that may use it begins, so everything
// here is taken from intrinsics that no cell has touched.
//
// What the session had kept when the cell began is part of the guest from then on: get never asks the host, and a guest that
// is restored, replayed or moved elsewhere reads what it would have read. Changes are requests. The cell sees its own at
// once; one that the host refuses is undone.
(function (host) {
	"use strict";

	const { request, stringify, promiseState, define, reject } = host;
	const { create, freeze } = Object;
	const { apply } = Reflect;
	const { then } = Promise.prototype;
	const { toWellFormed } = String.prototype;
	const { parse } = JSON;
	const E = Error;

	const NAMESPACE = 5;
	const SET = "$store:set", DELETE = "$store:delete";

	// JSON texts by key: what the host has confirmed, and changes under way. They have no prototype, so that __proto__ is a
	// key like others.
	const kept = create(null), changing = create(null);

	function keyOf(key) {
		if (typeof key !== "string" || key === "") throw new E("store key must be a string that is not empty.");
		return apply(toWellFormed, key, []);
	}

	function jsonOf(value) {
		if (promiseState(value) >= 0) throw new E("store.set was given a promise; await it first.");
		const json = stringify(value);
		if (json === undefined) throw new E("store.set needs a JSON value; store.delete(key) removes one.");
		return json;
	}

	function get(key) {
		const k = keyOf(key);
		const change = changing[k];
		const json = change === undefined ? kept[k] : change.json;
		return json === undefined ? undefined : parse(json);
	}

	// change asks the host for a change. Answers come in the order of the requests.
	function change(operation, key, json) {
		const one = create(null), input = create(null);
		one.json = json;
		input.key = key;
		input.json = json;
		changing[key] = one;
		const over = () => {
			if (changing[key] === one) delete changing[key];
		};
		return apply(then, request(NAMESPACE, operation, input), [
			(answer) => {
				over();
				if (json === undefined) delete kept[key];
				else kept[key] = json;
				return operation === DELETE ? answer : undefined;
			},
			(error) => {
				over();
				throw error;
			},
		]);
	}

	function set(key, value) {
		try {
			return change(SET, keyOf(key), jsonOf(value));
		} catch (error) {
			return reject([error]);
		}
	}

	function remove(key) {
		try {
			return change(DELETE, keyOf(key), undefined);
		} catch (error) {
			return reject([error]);
		}
	}

	// openStore returns the global, filled with keys and JSON texts in turn.
	host.openStore = (items) => {
		for (let i = 0; i < items.length; i += 2) kept[items[i]] = items[i + 1];
		const store = create(null);
		define(store, "get", get);
		define(store, "set", set);
		define(store, "delete", remove);
		return freeze(store);
	};
})
