using System.Collections.Generic;
using System.IO;
using System.Linq;
using Mono.Cecil;

namespace BigPile.Architecture.Tests;

/// <summary>Who may use what is internal in a library, by an InternalsVisibleTo.</summary>
public sealed class FriendTests
{
    // Of the product. Tests, benchmarks and the torture look inside what they are for.
    private static readonly string[] Known =
    [
        "BigPile.Memory -> BigPile.Codec", "BigPile.Memory -> BigPile", "BigPile.Memory -> BigPile.Caching",
        "BigPile.Codec -> BigPile",
        "BigPile -> BigPile.Caching", "BigPile -> BigPile.AspNetCore", "BigPile -> BigPile.Http",
        "BigPile.Caching -> BigPile.AspNetCore", "BigPile.Caching -> BigPile.Http",
        "BigPile.AspNetCore -> BigPile.Http", "BigPile.AspNetCore -> BigPile.Server",
        "BigPile.Http -> BigPile.Server",
    ];

    // It has no code unless it is asked for.
    private const string LeftOut = "BigPile.MessagePackCSharp.Tests";

    [Fact]
    public void Libraries_have_no_friends_in_the_product_but_these()
    {
        using var built = new Built();
        Assert.Equal(Known.Order(), House.Stack.SelectMany(library => FriendsOf(built.Read(library))
            .Where(House.Stack.Contains).Select(friend => $"{library} -> {friend}")).Order());
    }

    [Fact]
    public void A_friend_uses_what_is_internal()
    {
        using var built = new Built();
        Assert.Empty(
            from library in House.Stack
            from friend in FriendsOf(built.Read(library))
            where friend != LeftOut && File.Exists(Built.PathOf(friend)) // a test project may not have been built
            where !UsesInternals(built.Read(friend), library)
            select $"{friend} uses nothing internal of {library}: take its InternalsVisibleTo away.");
    }

    private static IEnumerable<string> FriendsOf(AssemblyDefinition library) =>
        from attribute in library.CustomAttributes
        where attribute.AttributeType.Name == "InternalsVisibleToAttribute"
        select (string)attribute.ConstructorArguments[0].Value;

    private static bool UsesInternals(AssemblyDefinition friend, string library) =>
        friend.MainModule.GetTypeReferences().Where(type => type.Scope.Name == library)
            .Any(static type => type.Resolve() is { } found && !Built.IsSeen(found, isPublic: true))
        || friend.MainModule.GetMemberReferences().Where(member => member.DeclaringType.GetElementType().Scope.Name == library)
            .Any(static member => member.Resolve() is { } found && !IsPublic(found));

    private static bool IsPublic(IMemberDefinition member) => member switch
    {
        MethodDefinition method => method.IsPublic || method.IsFamily || method.IsFamilyOrAssembly,
        FieldDefinition field => field.IsPublic || field.IsFamily || field.IsFamilyOrAssembly,
        _ => true,
    };
}
