using System;

namespace BigPile;

/// <summary>Says what a type or a member was called when objects were stored, so that they are found under that name.</summary>
/// <remarks>
/// On a member: the name of the field, the property or the captured parameter that it was. On a parameter of a primary constructor, of
/// which the compiler makes a record's property, or a field if the class uses it elsewhere: likewise. On a type: its full name, with the
/// namespace and, of a nested one, the types around it (<c>Shop.Order</c>, <c>Shop.Order+Line</c>, <c>Shop.Page`1</c>); a name without a
/// dot means the namespace that the type has now. What has the stored name by now is taken before what had it. For types that can't have
/// attributes there is <see cref="PileCodecOptions.Rename(string, Type)"/>.
/// </remarks>
/// <param name="name">The name.</param>
[AttributeUsage(
    AttributeTargets.Class | AttributeTargets.Struct | AttributeTargets.Interface | AttributeTargets.Enum
    | AttributeTargets.Field | AttributeTargets.Property | AttributeTargets.Parameter,
    AllowMultiple = true, Inherited = false)]
public sealed class FormerNameAttribute(string name) : Attribute
{
    /// <summary>The name.</summary>
    public string Name => name;
}
