-- For Lua 5.4: prints what must not depend on how the interpreter was compiled: no addresses, no times, no random
-- numbers.
local function show(...)
  local words = {}
  for i = 1, select("#", ...) do
    local v = select(i, ...)
    words[i] = math.type(v) == "float" and string.format("%.14g", v) or tostring(v)
  end
  print(table.concat(words, " "))
end

-- Arithmetic: integers wrap, floats do not.
show(7 // 2, -7 // 2, 7 % -3, -7 % 3, 7.5 // 2, -7.5 % 2, 2 ^ 10, 7 / 2, 1e308 * 10, -1e308 * 10)
show(math.maxinteger + 1 == math.mininteger, math.mininteger // -1, math.ult(1, -1), math.tointeger(3.0), 3 | 0)
show(5 & 3, 5 | 3, 5 ~ 3, ~5, 1 << 62, 1 << 64, -1 >> 1, 1 << -1, 0xffffffffffffffff, "10" + 5, "0x10" * 2)
show(pcall(function() return 1 // 0 end))
show(pcall(function() return 1 % 0 end))
show(1 // 0.0, -1 // 0.0, 0.0 / 0.0 ~= 0.0 / 0.0, 1 < 1.5, 2 ^ 53 == 2 ^ 53 + 1, math.maxinteger < 2 ^ 63, 1 == 1.0)
show(math.floor(-3.5), math.ceil(-3.5), math.fmod(-7, 3), math.abs(math.mininteger), math.max(1, 2.5), math.min(3, -1))
show(tostring(1e15), tostring(1e16), 2 ^ 63, -0.0, 100 // 1e-320, tonumber("0x1p4"), tonumber("z", 36), tonumber("8", 8))
show(string.format("%d %5.2f %x %q %s %10s|%-10s| %i %c %e %g %a", 42, 3.14159, 255, 'a\n"b', nil, "r", "l", 7, 65, 12345.678, 1e20, 1.0))

-- Strings and patterns.
show(("hello world"):find("o w"), ("hello"):find("l+"), ("key = value"):match("^(%w+)%s*=%s*(%w+)$"))
show(("abc"):rep(3, "-"), ("hello"):sub(-3), ("hello"):byte(1, -1), ("x"):len(), #"\u{20AC}", ("%d"):format(3.0))
show(("one two  three"):gsub("%s+", "_"), ("abc"):gsub("", "."), ("hello"):gsub("l", {l = "L"}), ("abc"):gsub("%w", "%0%0"))
show(("f(a(b)c)d"):match("%b()"), ("THE (quick) fox"):find("%((%a+)%)"), ("  trim "):match("^%s*(.-)%s*$"), ("a.b"):find(".", 1, true))
for k, v in ("a=1, b=22, c=333"):gmatch("(%w+)=(%w+)") do io.write(k, ":", v, ";") end
print()
show(utf8.char(72, 228, 8364, 128512), utf8.len("häß€"), utf8.codepoint("€", 1), #utf8.char(0x7fffffff))
show(string.pack("<i4 >I2 z s1", -2, 258, "zero", "len"):byte(1, -1))
show(string.unpack("<i4 >I2 z s1", string.pack("<i4 >I2 z s1", -2, 258, "zero", "len")))
show(("%s"):rep(200):format(table.unpack((function() local t = {} for i = 1, 200 do t[i] = i end return t end)())))

-- Tables.
local t = {}
for i = 1, 1000 do t[i] = (i * 7919) % 1009 end
table.sort(t)
show(t[1], t[500], t[1000], #t)
table.sort(t, function(a, b) return a > b end)
show(t[1], t[500], t[1000], table.concat(t, ",", 1, 10), select("#", table.unpack(t, 1, 50)))
for i = 1, 500 do table.remove(t, 1) end
table.insert(t, 1, "first")
show(#t, t[1], t[2], table.concat(table.move({1, 2, 3}, 1, 3, 2), " "), table.pack(1, nil, 3).n)
local keys = {}
for k in pairs({a = 1, b = 2, [1] = 3, [2.5] = 4, [true] = 5}) do keys[#keys + 1] = tostring(k) end
table.sort(keys)
show(table.unpack(keys))
local hash = {}
for i = 1, 5000 do hash["k" .. i % 700] = (hash["k" .. i % 700] or 0) + i end
local sum = 0
for _, v in pairs(hash) do sum = sum + v end
show(sum, hash.k13, next({}), rawlen({1, 2}), rawequal(hash, hash), rawget(setmetatable({}, {__index = hash}), "k1"))
for i = 1, 4000 do hash["k" .. i] = nil end
show(next(hash))

-- Functions, closures, goto, varargs.
local function counter()
  local n = 0
  return function(step) n = n + (step or 1) return n end
end
local a, b = counter(), counter()
show(a(), a(5), b(), a(-2))
local closures = {}
for i = 1, 5 do closures[i] = function() i = i + 1 return i end end
show(closures[1](), closures[1](), closures[5]())
local function ackermann(m, n)
  if m == 0 then return n + 1 elseif n == 0 then return ackermann(m - 1, 1) end
  return ackermann(m - 1, ackermann(m, n - 1))
end
show(ackermann(2, 50), ackermann(3, 5))
local function tail(n, acc) if n == 0 then return acc end return tail(n - 1, acc + n) end
show(tail(100000, 0))
do
  local i, found = 1, {}
  ::again::
  for k = 2, i - 1 do
    if i % k == 0 then goto next end
  end
  found[#found + 1] = i
  ::next::
  i = i + 1
  if i < 60 then goto again end
  show(table.unpack(found))
end
for i = 10, 1, -3 do io.write(i, " ") end
for x = 0, 1, 0.25 do io.write(x, " ") end
for i = math.maxinteger - 2, math.maxinteger do io.write(i, " ") end
print()
show(select("#"), select(-1, 1, 2, 3), (select(2, "a", "b", "c")))

-- Metatables and classes.
local Vector = {}
Vector.__index = Vector
Vector.__add = function(p, q) return setmetatable({x = p.x + q.x, y = p.y + q.y}, Vector) end
Vector.__eq = function(p, q) return p.x == q.x and p.y == q.y end
Vector.__lt = function(p, q) return p.x < q.x end
Vector.__le = function(p, q) return p.x <= q.x end
Vector.__call = function(self, k) return self.x * k end
Vector.__tostring = function(self) return "(" .. self.x .. ", " .. self.y .. ")" end
Vector.__concat = function(p, q) return tostring(p) .. tostring(q) end
Vector.__len = function() return 2 end
Vector.__unm = function(p) return setmetatable({x = -p.x, y = -p.y}, Vector) end
Vector.__close = function(p, e) print("close", tostring(p), e) end
local v, w = setmetatable({x = 1, y = 2}, Vector), setmetatable({x = 1, y = 2}, Vector)
show(v + w, v == w, v < w, v <= w, v(10), v .. w, #v, -v)
do
  local c <close> = v
  local d <const> = 5
  show("in the block", d)
end
pcall(function() local c <close> = v error("thrown", 0) end)
local log = {}
local proxy = setmetatable({}, {__index = function(_, k) log[#log + 1] = "get " .. k return k end, __newindex = function(_, k, x) log[#log + 1] = "set " .. k .. x end})
proxy.a = proxy.b .. proxy.c
show(table.unpack(log))

-- Errors.
show(pcall(error, {code = 7}) == false, select(2, pcall(error, "message", 0)), select(2, pcall(error)))
show(xpcall(function() local x = nil; return x.y end, function(m) return "handled: " .. m end))
show(pcall(function() return #5 end))
show(pcall(function() return {} < {} end))
show(pcall(string.rep))
show(pcall(function() local function f() return f() + 1 end return f() end) == false)
show(load("return 1 +"))
show(load("local a <const> = 1; a = 2"))
show(load("return ...", "chunk", "t", {})(42), load(string.dump(function(x) return x * 2 end))(21))
show(pcall(string.format, "%d", 1.5))
show(tostring(nil) .. tostring(true), tostring(print):match("^builtin") or tostring(print):match("^function"))

-- Coroutines.
local function permutations(list, n)
  n = n or #list
  if n <= 1 then coroutine.yield(table.concat(list)) end
  for i = 1, n do
    list[n], list[i] = list[i], list[n]
    permutations(list, n - 1)
    list[n], list[i] = list[i], list[n]
  end
end
for p in coroutine.wrap(function() permutations({"a", "b", "c", "d"}) end) do io.write(p, " ") end
print()
local co = coroutine.create(function(x, y)
  local z = coroutine.yield(x + y)
  local _, e = pcall(function() error(coroutine.yield(z * 2)) end)
  return "done", e
end)
show(coroutine.resume(co, 3, 4))
show(coroutine.resume(co, 10))
show(coroutine.resume(co, "inner"))
show(coroutine.resume(co))
show(coroutine.status(co), coroutine.isyieldable(), select(2, coroutine.running()), coroutine.close(coroutine.create(print)))

-- Garbage: weak tables and finalizers.
local weak, finalized = setmetatable({}, {__mode = "v"}), 0
for i = 1, 100 do weak[i] = setmetatable({}, {__gc = function() finalized = finalized + 1 end}) end
collectgarbage()
collectgarbage()
show(next(weak), finalized, collectgarbage("isrunning"))
collectgarbage("generational")
local garbage = {}
for i = 1, 200000 do garbage[i % 100] = {i, tostring(i), function() return i end} end
collectgarbage("incremental", 100, 200, 10)
for i = 1, 200000 do garbage[i % 100] = "s" .. i end
show(garbage[0], garbage[99])

-- Programs.
local function queens(n)
  local rows, count = {}, 0
  local function place(r)
    if r > n then count = count + 1 return end
    for c = 1, n do
      local free = true
      for p = 1, r - 1 do
        local d = rows[p]
        if d == c or d - c == p - r or d - c == r - p then free = false break end
      end
      if free then rows[r] = c place(r + 1) end
    end
  end
  place(1)
  return count
end
show(queens(6), queens(8))
local function matrix(n) local m = {} for i = 1, n do m[i] = {} for j = 1, n do m[i][j] = (i * j) % 7 + 0.5 end end return m end
local function multiply(x, y)
  local n, z = #x, {}
  for i = 1, n do
    z[i] = {}
    for j = 1, n do
      local s = 0
      for k = 1, n do s = s + x[i][k] * y[k][j] end
      z[i][j] = s
    end
  end
  return z
end
local m = matrix(40)
m = multiply(multiply(m, m), m)
show(m[1][1], m[20][13], m[40][40])
local h = 0
for i = 1, 300000 do h = (h * 31 + i) & 0xffffffff if h % 3 == 0 then h = h ~ 0x5bd1e995 end end
show(h)
local text = {}
for i = 1, 2000 do text[#text + 1] = string.format("%04d:%s", i, ("x"):rep(i % 13)) end
text = table.concat(text, "\n")
local lines, longest = 0, 0
for line in text:gmatch("[^\n]+") do lines = lines + 1 longest = math.max(longest, #line) end
show(lines, longest, #text, select(2, text:gsub("x+", "")))
