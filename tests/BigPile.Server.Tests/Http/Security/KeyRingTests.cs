using System;
using System.Text;
using BigPile.Caching.Tests;
using BigPile.Http.Security;

namespace BigPile.Server.Tests.Http.Security;

public sealed class KeyRingTests
{
    private readonly ManualTime _time = new();

    [Fact]
    public void A_read_is_allowed_to_who_holds_the_scope_and_reaches_the_table()
    {
        KeyRing ring = MakeRing(KeyScopes.Read, out string credential, "orders-*", "exact");
        Assert.False(ring.IsOpen);
        Assert.Equal(EntryAccess.Allowed, Check(ring, "Bearer " + credential, "orders-2024"));
        Assert.Equal(EntryAccess.Allowed, Check(ring, "bearer " + credential, "exact"));
        Assert.Equal(EntryAccess.Other, Check(ring, "Bearer " + credential, "exactly"));
        Assert.Equal(EntryAccess.Other, Check(ring, "Bearer " + credential, "Orders-2024"));
        Assert.Equal(EntryAccess.Other, Check(ring, "Bearer " + credential + "x", "exact"));
        Assert.Equal(EntryAccess.Other, Check(ring, "Bearer " + credential[..^1], "exact"));
        Assert.Equal(EntryAccess.Other, Check(ring, "Bearer x" + credential, "exact"));
        Assert.Equal(EntryAccess.Other, Check(ring, credential, "exact"));
        Assert.Equal(EntryAccess.Other, Check(ring, "Basic " + credential, "exact"));
        Assert.Equal(EntryAccess.Other, Check(ring, "", "exact"));
        Assert.Equal(EntryAccess.Other, Check(ring, "Bearer one.", "exact"));
        Assert.Equal(EntryAccess.Other, Check(ring, "Bearer .x", "exact"));
        Assert.Equal(EntryAccess.Other, Check(ring, "Bearer one." + new string('x', 5_000), "exact"));
    }

    [Fact]
    public void A_scope_is_not_part_of_another()
    {
        KeyRing ring = MakeRing(KeyScopes.Write | KeyScopes.Admin, out string credential);
        Assert.Equal(EntryAccess.Other, Check(ring, "Bearer " + credential, "t"));
    }

    [Fact]
    public void No_keys_allow_everything() =>
        Assert.Equal(EntryAccess.Allowed, Check(new KeyRing([], _time), "", "t"));

    [Fact]
    public void A_rate_is_kept_and_only_by_requests_that_are_allowed()
    {
        BigPileKey key = BigPileKey.Create("one", KeyScopes.Read, out string credential) with { RequestsPerSecond = 1, Burst = 2 };
        var ring = new KeyRing([key], _time);
        for (int i = 0; i < 10; i++)
            Assert.Equal(EntryAccess.Other, Check(ring, "Bearer one.wrong", "t"));
        Assert.Equal(EntryAccess.Allowed, Check(ring, "Bearer " + credential, "t"));
        Assert.Equal(EntryAccess.Allowed, Check(ring, "Bearer " + credential, "t"));
        Assert.Equal(EntryAccess.Other, Check(ring, "Bearer " + credential, "t"));
        _time.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(EntryAccess.Allowed, Check(ring, "Bearer " + credential, "t"));
    }

    [Fact]
    public void A_check_makes_no_object()
    {
        KeyRing ring = MakeRing(KeyScopes.Read, out string credential, "orders-*");
        byte[] good = Encoding.ASCII.GetBytes("Bearer " + credential);
        byte[] bad = Encoding.ASCII.GetBytes("Bearer nobody.secret");
        for (int i = 0; i < 1_000; i++)
            CheckBoth(ring, good, bad);
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 0; i < 10_000; i++)
            CheckBoth(ring, good, bad);
        long bytes = GC.GetAllocatedBytesForCurrentThread() - before;
        // Objects would be 480,000 bytes and more. What a collection meanwhile takes from a thread counts as allocated: some KB each time.
        Assert.True(bytes < 100_000, $"{bytes} bytes in 20,000 checks");
    }

    [Fact]
    public void The_settings_hold_no_secret_and_each_hash_has_a_salt_of_its_own()
    {
        BigPileKey key = BigPileKey.Create("one", KeyScopes.Read, out string credential);
        string secret = credential["one.".Length..];
        Assert.DoesNotContain(secret, key.ToString(), StringComparison.Ordinal);
        Assert.NotEqual(SecretHash.Of(secret).ToString(), SecretHash.Of(secret).ToString());
        Assert.True(SecretHash.TryParse(key.Hash, out SecretHash? hash));
        Assert.True(hash.Matches(Encoding.ASCII.GetBytes(secret)));
        Assert.False(hash.Matches("other"u8));
        Assert.Equal(43, secret.Length); // 256 bits
    }

    [Theory]
    [InlineData("", "sha256:AAAAAAAAAAAAAAAAAAAAAA:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "*", null, "The key's name is ''")]
    [InlineData("a.b", "sha256:AAAAAAAAAAAAAAAAAAAAAA:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "*", null, "The key's name is 'a.b'")]
    [InlineData("a", "plain", "*", null, "The hash of the key 'a'")]
    [InlineData("a", "sha256:AAAA:AAAA", "*", null, "The hash of the key 'a'")]
    [InlineData("a", "sha256:AAAAAAAAAAAAAAAAAAAAAA:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "a/b", null, "table pattern 'a/b'")]
    [InlineData("a", "sha256:AAAAAAAAAAAAAAAAAAAAAA:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "*", 0.0, "0 requests a second")]
    public void A_wrong_key_is_named(string name, string hash, string pattern, double? rate, string message)
    {
        var key = new BigPileKey { Name = name, Hash = hash, Scopes = KeyScopes.Read, Tables = [pattern], RequestsPerSecond = rate };
        Assert.Contains(message, Assert.Throws<ArgumentException>(() => new KeyRing([key], _time)).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Two_keys_of_one_name_are_refused()
    {
        BigPileKey[] keys =
            [BigPileKey.Create("one", KeyScopes.Read, out string _), BigPileKey.Create("one", KeyScopes.Read, out string _)];
        Assert.Contains(
            "two keys named 'one'", Assert.Throws<ArgumentException>(() => new KeyRing(keys, _time)).Message, StringComparison.Ordinal);
    }

    private static void CheckBoth(KeyRing ring, byte[] good, byte[] bad)
    {
        if (ring.CheckRead(good, "orders-1") != EntryAccess.Allowed || ring.CheckRead(bad, "orders-1") != EntryAccess.Other)
            throw new InvalidOperationException("wrong answer");
    }

    private static EntryAccess Check(KeyRing ring, string authorization, string table) =>
        ring.CheckRead(Encoding.ASCII.GetBytes(authorization), table);

    private KeyRing MakeRing(KeyScopes scopes, out string credential, params string[] tables)
    {
        BigPileKey key = BigPileKey.Create("one", scopes, out credential);
        return new KeyRing(
            [tables.Length == 0 ? key : key with { Tables = tables }, BigPileKey.Create("two", KeyScopes.Read, out _)], _time);
    }
}
